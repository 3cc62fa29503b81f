/**
 * Videos that an article can show: by the addresses of their pages, and in frames that the publisher keeps. Posts of social
 * networks, which only their scripts could show: an article quotes them.
 */

export interface Embed {
  service: string;
  /** What the frame shows. */
  src: string;
}

interface Service {
  name: string;
  /** The part of the page's address after the scheme and `www.` that ends with a video's id. */
  page: RegExp;
  frame: (id: string, url: URL) => string;
}

const SERVICES: readonly Service[] = [
  {
    name: "YouTube",
    page: /^(?:(?:m\.)?youtube\.com\/(?:watch\?(?:[^#]*&)?v=|shorts\/|live\/)|youtu\.be\/)([\w-]{6,20})(?=[/?&#]|$)/,
    frame: (id, url) => `https://www.youtube-nocookie.com/embed/${id}${startOf(url)}`,
  },
  {
    name: "Vimeo",
    page: /^(?:player\.)?vimeo\.com\/(?:video\/|channels\/[\w-]+\/)?(\d{4,15})(?=[/?#]|$)/,
    frame: (id, url) => `https://player.vimeo.com/video/${id}${keyOf(url)}`,
  },
  {
    name: "Dailymotion",
    page: /^(?:dailymotion\.com\/(?:embed\/)?video\/|dai\.ly\/)(\w{5,12})(?=[/?#]|$)/,
    frame: (id) => `https://www.dailymotion.com/embed/video/${id}`,
  },
  {
    name: "Loom",
    page: /^loom\.com\/(?:share|embed)\/(\w{16,64})(?=[/?#]|$)/,
    frame: (id) => `https://www.loom.com/embed/${id}`,
  },
  {
    name: "TED",
    page: /^(?:embed\.)?ted\.com\/talks\/([\w-]{3,120})(?=[/?#]|$)/,
    frame: (id) => `https://embed.ted.com/talks/${id}`,
  },
  {
    name: "Bilibili",
    page: /^bilibili\.com\/video\/(BV\w{8,12})(?=[/?#]|$)/,
    frame: (id) => `https://player.bilibili.com/player.html?bvid=${id}`,
  },
];

/** The hosts whose frames the publisher keeps (`VIDEO_HOSTS`), without `www.`. */
export const FRAME_HOSTS: ReadonlyMap<string, string> = new Map([
  ["youtube.com", "YouTube"],
  ["m.youtube.com", "YouTube"],
  ["youtube-nocookie.com", "YouTube"],
  ["vimeo.com", "Vimeo"],
  ["player.vimeo.com", "Vimeo"],
  ["dailymotion.com", "Dailymotion"],
  ["geo.dailymotion.com", "Dailymotion"],
  ["fast.wistia.net", "Wistia"],
  ["fast.wistia.com", "Wistia"],
  ["loom.com", "Loom"],
  ["ted.com", "TED"],
  ["embed.ted.com", "TED"],
  ["player.twitch.tv", "Twitch"],
  ["clips.twitch.tv", "Twitch"],
  ["player.bilibili.com", "Bilibili"],
  ["videopress.com", "VideoPress"],
  ["video.wordpress.com", "VideoPress"],
  ["embed.vidyard.com", "Vidyard"],
  ["play.vidyard.com", "Vidyard"],
]);

/** @returns the video on the page at this address; null if it is of no service that the publisher keeps. */
export function findEmbed(address: string): Embed | null {
  const url = toUrl(address);
  if (url === null) return null;
  const rest = url.hostname.replace(/^www\./, "") + url.pathname + url.search;
  for (const { name, page, frame } of SERVICES) {
    const id = page.exec(rest)?.[1];
    if (id !== undefined) return { service: name, src: frame(id, url) };
  }
  return null;
}

export interface Post {
  service: string;
  /** `@ann`; `""` if the address does not tell. */
  author: string;
}

/** The part of a post's address after the scheme and `www.`, with its author where the address has one. */
const POSTS: readonly { name: string; page: RegExp }[] = [
  { name: "X", page: /^(?:mobile\.)?(?:x|twitter)\.com\/(\w{1,20})\/status\/\d{1,20}(?=[/?]|$)/ },
  { name: "Bluesky", page: /^bsky\.app\/profile\/([\w.:-]{3,250})\/post\/\w{5,20}(?=[/?]|$)/ },
  { name: "Threads", page: /^threads\.(?:net|com)\/@([\w.]{1,40})\/post\/[\w-]{5,30}(?=[/?]|$)/ },
  { name: "Instagram", page: /^instagram\.com\/(?:([\w.]{1,40})\/)?(?:p|reel)\/[\w-]{5,60}(?=[/?]|$)/ },
  { name: "TikTok", page: /^tiktok\.com\/@([\w.]{1,40})\/(?:video|photo)\/\d{5,25}(?=[/?]|$)/ },
  { name: "LinkedIn", page: /^linkedin\.com\/(?:posts\/|feed\/update\/urn:li:)[\w%:.-]{5,300}(?=[/?]|$)/ },
  { name: "Mastodon", page: /^[\w-]+(?:\.[\w-]+)+\/@(\w{1,40}(?:@[\w.-]{3,100})?)\/\d{15,20}(?=[/?]|$)/ },
];

/** @returns the post at this address; null if it is of no known network. */
export function findPost(address: string): Post | null {
  const url = toUrl(address);
  if (url === null) return null;
  const rest = url.hostname.replace(/^www\./, "") + url.pathname + url.search;
  for (const { name, page } of POSTS) {
    const found = page.exec(rest);
    // Bluesky names some authors by a number.
    if (found !== null) return { service: name, author: /^[^:]+$/.test(found[1] ?? "") ? `@${found[1]}` : "" };
  }
  return null;
}

/** @returns the video in a frame; null if the publisher would remove it. */
export function findFrame(src: string): Embed | null {
  const url = toUrl(src);
  const service = url === null || url.port !== "" ? undefined : FRAME_HOSTS.get(url.hostname.replace(/^www\./, ""));
  return url === null || service === undefined ? null : { service, src: url.href.replace(/^http:/, "https:") };
}

/** The source that shows a video, which is the same in both formats. */
export function embedSource({ service, src }: Embed): string {
  const address = src.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${address}" title="${service} video" width="560" height="315" loading="lazy" allowfullscreen></iframe>`;
}

function toUrl(address: string): URL | null {
  const url = URL.parse(address.trim().replace(/^\/\//, "https://"));
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
}

/** The second at which YouTube begins, from `t=1m30s` or `t=90`. */
function startOf({ searchParams }: URL): string {
  const written = searchParams.get("t") ?? searchParams.get("start") ?? "";
  const time = /^(?:(\d{1,2})h)?(?:(\d{1,3})m)?(?:(\d{1,6})s?)?$/.exec(written);
  const [hours = 0, minutes = 0, seconds = 0] = (time ?? []).slice(1).map((part) => Number(part ?? 0));
  const start = hours * 3600 + minutes * 60 + seconds;
  return start === 0 ? "" : `?start=${start}`;
}

/** The key in the address of a video that is not listed. */
function keyOf({ pathname }: URL): string {
  const key = /^\/\d+\/([\da-f]{6,20})$/.exec(pathname)?.[1];
  return key === undefined ? "" : `?h=${key}`;
}
