/* Before the first paint, so that a theme chosen by hand does not flash. */
(function () {
  try {
    var theme = localStorage.getItem('profllm.theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch (_) { /* no storage: the system's theme */ }
})()
