import { existsSync, realpathSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../src/child.ts'
import { findProgram } from '../src/programs.ts'

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore'

/** What runs Google's emulator; `undefined` where the Cloud SDK does not have it, or there is no Java. */
export function findGoogleEmulator(): { java: string; jar: string } | undefined {
  const java = findProgram('java')
  const gcloud = findProgram('gcloud')
  if (java === undefined || gcloud === undefined) return undefined
  const folder = join(realpathSync(gcloud), '../../platform/cloud-firestore-emulator')
  const jar = join(folder, 'cloud-firestore-emulator.jar')
  return existsSync(jar) ? { java, jar } : undefined
}

/** Starts it and waits until it answers. Its data are in memory. */
export async function startGoogleEmulator(
  { java, jar }: { java: string; jar: string },
  { port, dataDir }: { port: number; dataDir?: string },
): Promise<Child> {
  return await startChild(java, {
    // It keeps all that was ever written, removed or not. Clients look for messages in English.
    args: ['-Duser.language=en', '-Xmx1g', '-cp', jar, MAIN_CLASS, '--host=127.0.0.1', `--port=${port}`],
    log: dataDir === undefined ? devNull : join(dataDir, 'firestore.log'),
    isReady: async () => (await answer(port)) === 'Ok',
  })
}

async function answer(port: number): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
  return (await response?.text())?.trim()
}
