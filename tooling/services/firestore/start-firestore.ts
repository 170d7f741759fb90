import { findGoogleEmulator, startGoogleEmulator } from './google-emulator.ts'
import { startLocalFirestore } from './local-firestore.ts'

export interface FirestoreService {
  /** What serves: Google's emulator, or a server of our own in this process. */
  engine: 'google-emulator' | 'local-firestore'
  /** For FIRESTORE_EMULATOR_HOST. */
  host: string
  stop(): Promise<void>
}

export interface StartFirestoreOptions {
  port: number
  /** A folder that is there, for a log. The data are in memory. */
  dataDir?: string
  /** Left out: Google's emulator if this machine has the Cloud SDK with it and Java, else our own server. */
  engine?: FirestoreService['engine']
}

/** Starts Firestore on 127.0.0.1 and waits until it answers. Rejects where the engine that was asked for is missing. */
export async function startFirestore({ port, dataDir, engine }: StartFirestoreOptions): Promise<FirestoreService> {
  const host = `127.0.0.1:${port}`
  const emulator = engine === 'local-firestore' ? undefined : findGoogleEmulator()
  if (emulator === undefined && engine === 'google-emulator') {
    throw new Error('The Cloud SDK here has no Firestore emulator, or there is no Java.')
  }
  if (emulator === undefined) {
    const server = await startLocalFirestore(port)
    return { engine: 'local-firestore', host, stop: () => server.stop() }
  }
  const child = await startGoogleEmulator(emulator, { port, ...(dataDir !== undefined && { dataDir }) })
  return { engine: 'google-emulator', host, stop: () => child.stop() }
}
