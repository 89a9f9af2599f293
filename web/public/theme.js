/* Before the first paint, so that a theme chosen by hand does not flash. */
(function () {
  try {
    var theme = localStorage.getItem('profllm.theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch (_) { /* no storage: the system's theme */ }
  // Explore begins with these answers: they arrive together with the scripts.
  var first = location.pathname !== '/' ? [] : location.search === '' ? ['/api/filters/presets', '/api/fields'] : ['/api/fields']
  first.forEach(function (path) {
    var link = document.createElement('link')
    link.rel = 'preload'
    link.as = 'fetch'
    link.crossOrigin = 'anonymous'
    link.href = path
    document.head.append(link)
  })
})()
