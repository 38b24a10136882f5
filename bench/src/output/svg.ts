/** Shapes for the plots, readable in light and dark mode. */

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .title { font-size: 16px; font-weight: 600; }
  .axis { stroke: #8c959f; stroke-width: 1; }
  .grid { stroke: #8c959f; stroke-width: 1; opacity: 0.25; }
  .bar { fill: #1f883d; } .missed { fill: #cf222e; }
  .target { stroke: #24292f; stroke-width: 2.5; }
  .bound { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; }
    .bar { fill: #3fb950; } .missed { fill: #f85149; } .target { stroke: #e6edf3; } .bound { stroke: #f85149; }
  }`;

export const LINE_COLOURS = ['#0969da', '#bf8700', '#8250df', '#1a7f37', '#cf222e', '#0e7490'];

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}="${typeof value === 'number' ? Number(value.toFixed(1)) : value}"`,
    )
    .join(' ');

export const text = (
  x: number,
  y: number,
  content: string,
  { anchor = 'start', style = '' }: { anchor?: 'start' | 'middle' | 'end'; style?: string } = {},
): string =>
  `<text ${attributes({ x, y, 'text-anchor': anchor, ...(style && { class: style }) })}>${escapeXml(content)}</text>`;

export const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<line ${attributes({ x1, y1, x2, y2, class: style })}/>`;

export const bar = (x: number, y: number, width: number, height: number, style: string): string =>
  `<rect ${attributes({ x, y, width: Math.max(width, 1), height, rx: 2, class: style })}/>`;

export const path = (points: readonly (readonly [number, number])[], colour: string): string => {
  const coordinates = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const dots = points.map(
    ([cx, cy]) => `<circle ${attributes({ cx, cy, r: 3.5, fill: colour })}/>`,
  );
  return `<polyline points="${coordinates}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}`;
};

export const picture = (
  width: number,
  height: number,
  label: string,
  shapes: readonly string[],
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">
<style>${STYLE}
</style>
${shapes.join('\n')}
</svg>
`;
