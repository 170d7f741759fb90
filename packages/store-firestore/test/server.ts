import { randomBytes } from 'node:crypto'

/** Where Google's own emulator listens unless it is told otherwise. */
const STANDARD = '127.0.0.1:8080'

/** The title of what needs the emulator, so that skipped tests say why. */
export const NEEDS_EMULATOR = 'Firestore, at FIRESTORE_EMULATOR_HOST'

/**
 * The host of a Firestore emulator, also put where the client looks for it; `undefined` where there is none, and an error
 * where CI should have started one.
 */
export async function serverUrl(): Promise<string | undefined> {
  const host = process.env['FIRESTORE_EMULATOR_HOST'] ?? ((await isGoogles(STANDARD)) ? STANDARD : undefined)
  if (host === undefined && process.env['CI'])
    throw new Error('CI must start Firestore and set FIRESTORE_EMULATOR_HOST.')
  if (host !== undefined) process.env['FIRESTORE_EMULATOR_HOST'] = host
  // The client looks for Google's metadata server even where an emulator is named.
  process.env['METADATA_SERVER_DETECTION'] = 'none'
  return host
}

/** Whether it is Google's own, which also serves HTTP/1 and takes requests of up to 4 MiB, where Firestore takes 10. */
export async function isGoogles(host: string): Promise<boolean> {
  const answer = await fetch(`http://${host}/`).catch(() => undefined)
  return (await answer?.text())?.trim() === 'Ok'
}

/** A project that nobody else uses: Google's emulator gets slower with all that a project ever held. */
export function freshProject(): string {
  return `test-${randomBytes(6).toString('hex')}`
}
