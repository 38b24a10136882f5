const appearance = localStorage.getItem('vitepress-theme-appearance') ?? 'auto';
const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches;

globalThis.Scalar.createApiReference('#reference', {
  url: document.body.dataset.document,
  darkMode: appearance === 'auto' ? prefersDark : appearance === 'dark',
  // Nothing is loaded from, or sent to, another host.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
});
