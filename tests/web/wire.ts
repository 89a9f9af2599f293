// A proxy between the browser and a dashboard, which breaks connections where a test asks for it.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

// The handling of a request: it passes, breaks halfway, or is processed without a response.
export type Fate = 'pass' | 'half' | 'unanswered'

const HALF_BYTES = 100_000

export class Wire {
  private server: Server | undefined
  private readonly sockets = new Set<Socket>()
  fate: (head: string) => Fate = () => 'pass'
  url = ''

  async start(target: string) {
    const { hostname, port } = new URL(target)
    this.server = createServer((near) => this.join(near, connect(Number(port), hostname)))
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop() {
    for (const socket of this.sockets) socket.destroy()
    this.server?.close()
  }

  private join(near: Socket, far: Socket) {
    let fate: Fate = 'pass'
    let passed = 0
    const cut = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      this.sockets.add(socket)
      socket.on('error', cut).on('close', () => {
        this.sockets.delete(socket)
        cut()
      })
    }
    near.on('data', (bytes: Buffer) => {
      const head = /^(GET|POST|PUT|PATCH|DELETE) \S+/.exec(bytes.subarray(0, 500).toString('latin1'))?.[0]
      if (head !== undefined) {
        fate = this.fate(head)
        passed = 0
      }
      passed += bytes.length
      if (fate === 'half' && passed > HALF_BYTES) return cut()
      if (!far.write(bytes)) {
        near.pause()
        far.once('drain', () => near.resume())
      }
    })
    far.on('data', (bytes: Buffer) => (fate === 'unanswered' ? cut() : near.write(bytes)))
  }
}
