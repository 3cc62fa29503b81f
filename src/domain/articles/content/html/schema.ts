import type { Schema } from "hast-util-sanitize";

/** What HTML may contain, as hast properties: one table for sanitiser, check and scanner, which cannot drift apart. */
const MEDIA = ["src", "controls", "loop", "muted", "preload", "crossOrigin", "controlsList", "autoPlay"];
const CELL = [
  "colSpan",
  "rowSpan",
  "headers",
  "scope",
  "abbr",
  "axis",
  "vAlign",
  "bgColor",
  "noWrap",
  "char",
  "charOff",
];

export const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  a: ["href", "target", "rel", "download", "hrefLang", "type", "referrerPolicy"],
  abbr: [],
  acronym: [],
  address: [],
  area: ["href", "target", "rel", "alt", "coords", "shape", "download"],
  article: [],
  aside: [],
  audio: MEDIA,
  b: [],
  bdi: [],
  bdo: [],
  big: [],
  blockquote: ["cite"],
  br: ["clear"],
  caption: [],
  center: [],
  cite: [],
  code: [],
  col: ["span", "vAlign"],
  colgroup: ["span", "vAlign"],
  data: ["value"],
  dd: [],
  del: ["cite", "dateTime"],
  details: ["open"],
  dfn: [],
  div: [],
  dl: ["compact"],
  dt: [],
  em: [],
  figcaption: [],
  figure: [],
  font: ["color", "face", "size"],
  footer: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  header: [],
  hgroup: [],
  hr: ["size", "noShade"],
  i: [],
  iframe: ["src", "allow", "allowFullScreen", "loading", "referrerPolicy", "frameBorder", "scrolling", "sandbox"],
  img: [
    "src",
    "srcSet",
    "sizes",
    "alt",
    "loading",
    "decoding",
    "fetchPriority",
    "crossOrigin",
    "referrerPolicy",
    "useMap",
    "isMap",
    "border",
    "hSpace",
    "vSpace",
    "longDesc",
    // Pages that load images lazily keep the real address here.
    "dataSrc",
    "dataSrcset",
    "dataSizes",
    "dataLazySrc",
    "dataLazySrcset",
    "dataLazySizes",
    "dataOriginal",
  ],
  input: ["type", "checked", "disabled"],
  ins: ["cite", "dateTime"],
  kbd: [],
  li: ["value", "type"],
  main: [],
  map: [],
  mark: [],
  menu: [],
  meter: ["value", "min", "max", "low", "high", "optimum"],
  nav: [],
  nobr: [],
  ol: ["start", "reversed", "type", "compact"],
  p: [],
  picture: [],
  pre: ["wrap"],
  progress: ["value", "max"],
  q: ["cite"],
  rp: [],
  rt: [],
  ruby: [],
  s: [],
  samp: [],
  search: [],
  section: [],
  small: [],
  source: ["src", "srcSet", "sizes", "media", "type", "dataSrc", "dataSrcset", "dataLazySrcset"],
  span: [],
  strike: [],
  strong: [],
  sub: [],
  summary: [],
  sup: [],
  table: ["border", "cellPadding", "cellSpacing", "summary", "frame", "rules", "bgColor"],
  tbody: ["vAlign"],
  td: CELL,
  tfoot: ["vAlign"],
  th: CELL,
  thead: ["vAlign"],
  time: ["dateTime"],
  tr: ["vAlign", "bgColor"],
  track: ["src", "kind", "srcLang", "label", "default"],
  tt: [],
  u: [],
  ul: ["type", "compact"],
  var: [],
  video: [...MEDIA, "poster", "playsInline", "disablePictureInPicture"],
  wbr: [],
};

const EVERYWHERE = [
  ...words("id className name title lang dir role hidden translate tabIndex align width height"),
  ...words("itemScope itemProp itemType itemId itemRef"),
  // Scripts of a page act on `data-` attributes, whoever wrote them; on these, no known script does.
  ...words("dataAlign dataConversation dataDnt dataFootnoteBackref dataFootnoteRef dataFootnotes dataHeight dataId"),
  ...words("dataLabel dataLang dataLanguage dataLine dataLineNumber dataLineNumbers dataSize dataStart dataTheme"),
  ...words("dataWidth"),
  ...words("ariaAtomic ariaBusy ariaChecked ariaColCount ariaColIndex ariaColSpan ariaControls ariaCurrent"),
  ...words("ariaDescribedBy ariaDescription ariaDetails ariaDisabled ariaExpanded ariaFlowTo ariaHasPopup ariaHidden"),
  ...words("ariaInvalid ariaKeyShortcuts ariaLabel ariaLabelledBy ariaLevel ariaLive ariaModal ariaMultiLine"),
  ...words("ariaOrientation ariaOwns ariaPlaceholder ariaPosInSet ariaPressed ariaReadOnly ariaRelevant ariaRequired"),
  ...words("ariaRoleDescription ariaRowCount ariaRowIndex ariaRowSpan ariaSelected ariaSetSize ariaSort ariaValueMax"),
  ...words("ariaValueMin ariaValueNow ariaValueText"),
];

/** Removed with everything inside them; other elements that are not allowed leave their content behind. */
export const DROPPED_WITH_CONTENT: ReadonlySet<string> = new Set([
  ...words("applet base basefont bgsound datalist embed frame frameset head iframe input link math meta noembed"),
  ...words("noframes object option optgroup param script select style svg template textarea title"),
]);

const WEB = ["http", "https"];

/** Schemes that an absolute URL may have, by property. Relative URLs are always allowed. */
export const SCHEMES: Readonly<Record<string, readonly string[]>> = {
  cite: WEB,
  dataLazySrc: WEB,
  dataOriginal: WEB,
  dataSrc: WEB,
  href: [...WEB, "mailto", "tel", "sms", "xmpp", "irc", "ircs", "matrix", "geo", "ftp"],
  itemId: WEB,
  longDesc: WEB,
  poster: WEB,
  src: WEB,
};

export const ADDRESS_LISTS: ReadonlySet<string> = new Set(["srcSet", "dataSrcset", "dataLazySrcset"]);

/** Parts of a table; outside a table they would break out of, or into, the page around the article. */
export const INSIDE_TABLE: ReadonlySet<string> = new Set(words("caption col colgroup tbody td tfoot th thead tr"));

/** Hosts that an iframe may show: compared exactly, `https` only. */
export const VIDEO_HOSTS: ReadonlySet<string> = new Set([
  ...words("www.youtube.com youtube.com m.youtube.com www.youtube-nocookie.com youtube-nocookie.com"),
  ...words("player.vimeo.com vimeo.com www.dailymotion.com dailymotion.com geo.dailymotion.com"),
  ...words("fast.wistia.net fast.wistia.com www.loom.com loom.com embed.ted.com www.ted.com"),
  ...words("player.twitch.tv clips.twitch.tv player.bilibili.com videopress.com video.wordpress.com"),
  ...words("embed.vidyard.com play.vidyard.com"),
]);

export function attributeName(property: string): string {
  return NAMES.get(property) ?? toAttributeName(property);
}

function toAttributeName(property: string): string {
  if (property === "className") return "class";
  if (/^(aria|data)[A-Z]/.test(property)) {
    const rest = property.slice(4);
    return property.startsWith("aria")
      ? `aria-${rest.toLowerCase()}`
      : `data${rest.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  }
  return property.toLowerCase();
}

const ATTRIBUTES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(ELEMENTS).map(([element, own]) => [
    element,
    new Map([...EVERYWHERE, ...own].map((property) => [toAttributeName(property), property])),
  ]),
);

/** The attributes of the properties in the tables. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [...EVERYWHERE, ...Object.values(ELEMENTS).flat()].map((property) => [property, toAttributeName(property)]),
);

export const isAllowedElement = (element: string): boolean => ATTRIBUTES.has(element);

/** The hast property of an attribute (lower case) of `element`; undefined if it is not allowed there. */
export function allowedProperty(element: string, attribute: string): string | undefined {
  return ATTRIBUTES.get(element)?.get(attribute);
}

/** The same table for hast-util-sanitize. Rules that it cannot express are in urls.ts and sanitise.ts. */
export const SCHEMA: Schema = {
  allowComments: true,
  allowDoctypes: false,
  ancestors: Object.fromEntries([...INSIDE_TABLE].map((element) => [element, ["table"]])),
  attributes: {
    ...Object.fromEntries(Object.entries(ELEMENTS).map(([element, own]) => [element, [...own]])),
    "*": EVERYWHERE,
    input: [["type", "checkbox"], "checked", "disabled"],
  },
  clobber: [],
  clobberPrefix: "",
  protocols: Object.fromEntries(
    Object.entries(SCHEMES).map(([property, schemes]) => [
      property,
      // Images may be inline; urls.ts has already rejected every other `data:` URL.
      property === "src" ? [...schemes, "data"] : [...schemes],
    ]),
  ),
  required: {},
  strip: [...DROPPED_WITH_CONTENT],
  tagNames: Object.keys(ELEMENTS),
};

function words(list: string): string[] {
  return list.split(" ");
}
