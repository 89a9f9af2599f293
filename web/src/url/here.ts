// A dashboard on a loopback address is reached from its own computer, or through a tunnel.
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/
export const isLoopback = () => LOOPBACK.test(window.location.hostname)
