// Swagger UI over our own document. `validatorUrl: null` keeps it from asking a public service for an opinion.
const dark = matchMedia('(prefers-color-scheme: dark)')
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyTheme)
applyTheme()

globalThis.SwaggerUIBundle({
  // Relative, as everything here: a proxy may serve the gateway below a path of its own.
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  persistAuthorization: false,
  syntaxHighlight: { activated: true, theme: 'agate' },
  validatorUrl: null,
})
