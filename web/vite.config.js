/* One file: style and program stand in the page itself, so that a report opens anywhere, offline. */
import { defineConfig } from 'vite';

/* Texts of other people's licences stay (legalComments); "</script" must not end the script it stands in. */
function inlineEverything() {
  return {
    name: 'inline-everything',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      for (const [name, file] of Object.entries(bundle)) {
        if (name === 'index.html') continue;
        const text = file.type === 'chunk' ? file.code : file.source;
        const tag = file.type === 'chunk'
          ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
          : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
        const inside = file.type === 'chunk'
          ? `<script type="module">${text.replaceAll('</script', '<\\/script')}</script>`
          : `<style>${text}</style>`;
        page.source = page.source.replace(tag, () => inside);
        delete bundle[name];
      }
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [inlineEverything()],
  esbuild: { legalComments: 'inline', charset: 'ascii' },
  build: {
    outDir: 'dist',
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: 'report.js', assetFileNames: 'report[extname]' } },
  },
});
