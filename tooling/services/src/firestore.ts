import { answersGrpc } from './answers-grpc.ts'
import type { Service } from './service.ts'

export const firestore: Service = {
  name: 'firestore',
  variable: 'FIRESTORE_EMULATOR_HOST',
  port: 8080,
  ports: 1,
  packages: [],
  address: (port) => `127.0.0.1:${port}`,
  // Where the Cloud SDK and Java are missing, a server of our own takes the emulator's place.
  isInstalled: () => true,

  async identify(port) {
    const knows = await answersGrpc(port, '/google.firestore.v1.Firestore/Commit')
    return knows ? 'Firestore emulator' : undefined
  },

  async start(place) {
    // It stands on packages of npm, which the other services do without.
    const { startFirestore } = await import('../firestore/start-firestore.ts')
    const server = await startFirestore(place)
    return {
      engine: server.engine === 'google-emulator' ? "Google's emulator" : 'our own server',
      stop: () => server.stop(),
    }
  },
}
