/* Before the first paint, so that a theme chosen by hand does not flash. */
(function () {
  try {
    var theme = localStorage.getItem('profllm.theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch (_) { /* no storage: the system's theme */ }
  if (location.pathname !== '/') return
  function load(href, properties) {
    document.head.append(Object.assign(document.createElement('link'), properties, { href: href }))
  }
  // Explore begins with these responses: they arrive together with the scripts.
  var first = location.search === '' ? ['/api/filters/presets', '/api/fields'] : ['/api/fields']
  first.forEach(function (path) { load(path, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' }) })
  // The scripts of its chart are large and needed last.
  var chart = document.querySelector('meta[name="chart-files"]')
  if (!chart) return
  chart.content.split(' ').forEach(function (path) {
    if (/\.js$/.test(path)) load(path, { rel: 'modulepreload', fetchPriority: 'low' })
  })
})()
