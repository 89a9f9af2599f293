// SHA-256 of bytes as they come. The browser's own digest takes a whole file at once, and does not exist where the page
// was loaded by HTTP from another machine.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export class Sha256 {
  private readonly hash = sha256.create()

  update(bytes: Uint8Array) {
    this.hash.update(bytes)
    return this
  }

  // Ends the hash: nothing may be added afterwards.
  hex() {
    return bytesToHex(this.hash.digest())
  }
}

// Reads a piece of the file at a time.
export async function sha256Of(file: Blob) {
  const hash = new Sha256()
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return hash.hex()
    hash.update(value)
  }
}
