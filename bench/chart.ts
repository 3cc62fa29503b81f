/** A line chart as SVG, legible on light and dark pages. */

const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 56;
const RIGHT = 24;
const TOP = 48;
const BOTTOM = 96;
const STEPS = 4;
const COLORS = ["#2f6fd6", "#c2571a", "#2e8b57"];
const GREY = "#808890";

export interface Chart {
  title: string;
  /** Labels of the horizontal axis, at equal distances. */
  at: readonly string[];
  lines: readonly { name: string; values: readonly number[] }[];
}

export function chart({ title, at, lines }: Chart): string {
  const top = roundUp(Math.max(...lines.flatMap(({ values }) => values)));
  const x = (index: number) => LEFT + (index * (WIDTH - LEFT - RIGHT)) / Math.max(1, at.length - 1);
  const y = (value: number) => HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / top;
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = (top * step) / STEPS;
    return (
      `<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="${GREY}" stroke-opacity="0.3"/>` +
      text(LEFT - 8, y(value) + 4, String(value), "end")
    );
  });
  const labels = at.map((label, index) => text(x(index), HEIGHT - BOTTOM + 20, label, "middle"));
  const drawn = lines.map(({ name, values }, line) => {
    const color = COLORS[line % COLORS.length] ?? GREY;
    const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return (
      `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>` +
      text(LEFT, HEIGHT - BOTTOM + 44 + line * 18, `— ${name}`, "start", color)
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    text(LEFT, TOP - 24, title),
    ...grid,
    ...labels,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

function text(left: number, baseline: number, content: string, anchor = "start", color = GREY): string {
  return `<text x="${left.toFixed(1)}" y="${baseline.toFixed(1)}" text-anchor="${anchor}" fill="${color}">${content}</text>`;
}

/** Rounds up to 1, 2, 4 or 8 times a power of ten, so that the axis has round steps. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 8, 10].map((times) => times * unit).find((one) => one >= value) ?? 10 * unit;
}
