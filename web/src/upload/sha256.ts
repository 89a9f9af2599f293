// SHA-256 (FIPS 180-4) over bytes as they come. The browser's own takes a whole file at once, and none at all where
// the page was not loaded by HTTPS or from this machine.
const ROUNDS = 64
const BLOCK = 64

// The first 32 bits of the fractions of roots of the first primes.
function fractions(count: number, root: (prime: number) => number) {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) {
    let isPrime = true
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false
    if (isPrime) found.push(((root(n) % 1) * 2 ** 32) | 0)
  }
  return found
}
const K = new Int32Array(fractions(ROUNDS, Math.cbrt))
const START = fractions(8, Math.sqrt)

export class Sha256 {
  private readonly state = new Int32Array(START)
  private readonly words = new Int32Array(ROUNDS)
  private readonly rest = new Uint8Array(BLOCK)
  private held = 0
  private total = 0

  update(bytes: Uint8Array) {
    this.total += bytes.length
    let at = 0
    if (this.held > 0) {
      at = Math.min(BLOCK - this.held, bytes.length)
      this.rest.set(bytes.subarray(0, at), this.held)
      this.held += at
      if (this.held < BLOCK) return this
      this.block(this.rest, 0)
      this.held = 0
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.block(bytes, at)
    this.rest.set(bytes.subarray(at))
    this.held = bytes.length - at
    return this
  }

  // The end: nothing is added afterwards.
  hex() {
    const bits = this.total * 8
    const zeros = (BLOCK * 2 - 9 - this.held) % BLOCK
    const tail = new Uint8Array(1 + zeros + 8)
    tail[0] = 0x80
    const view = new DataView(tail.buffer)
    view.setUint32(1 + zeros, Math.floor(bits / 2 ** 32))
    view.setUint32(5 + zeros, bits >>> 0)
    this.update(tail)
    return [...this.state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  private block(bytes: Uint8Array, from: number) {
    const w = this.words
    for (let i = 0, at = from; i < 16; i++, at += 4) w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
    for (let i = 16; i < ROUNDS; i++) {
      const x = w[i - 15]!, y = w[i - 2]!
      const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const other = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      w[i] = (w[i - 16]! + small + w[i - 7]! + other) | 0
    }
    const s = this.state
    let a = s[0]!, b = s[1]!, c = s[2]!, d = s[3]!, e = s[4]!, f = s[5]!, g = s[6]!, h = s[7]!
    for (let i = 0; i < ROUNDS; i++) {
      const big = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const one = (h + big + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0
      const sum = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const two = (sum + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    s[0] = s[0]! + a
    s[1] = s[1]! + b
    s[2] = s[2]! + c
    s[3] = s[3]! + d
    s[4] = s[4]! + e
    s[5] = s[5]! + f
    s[6] = s[6]! + g
    s[7] = s[7]! + h
  }
}

// A file's, a piece of it in memory at a time.
export async function sha256Of(file: Blob) {
  const hash = new Sha256()
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return hash.hex()
    hash.update(value)
  }
}
