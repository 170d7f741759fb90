import { randomBytes } from 'node:crypto'

// Google's client looks for Google's metadata server on every machine.
process.env['METADATA_SERVER_DETECTION'] ??= 'none'

/**
 * The emulator that live tests use, as `host:port`: the client itself reads this variable. Left out where there is none;
 * with CI set there must be one.
 */
export function serverUrl(): string | undefined {
  const { CI, FIRESTORE_EMULATOR_HOST: host } = process.env
  if (CI !== undefined && host === undefined) throw new Error('FIRESTORE_EMULATOR_HOST is not set, and CI is.')
  return host
}

/** The title of what needs the emulator, so that skipped tests say why. */
export const NEEDS_EMULATOR = 'with FIRESTORE_EMULATOR_HOST'

/** Whether it is Google's own, which also serves HTTP/1 and takes requests of up to 4 MiB, where Firestore takes 10. */
export async function isGoogles(host: string): Promise<boolean> {
  const answer = await fetch(`http://${host}/`).catch(() => undefined)
  return (await answer?.text())?.trim() === 'Ok'
}

/** A project that nobody else uses: Google's emulator gets slower with all that a project ever held. */
export function freshProject(): string {
  return `test-${randomBytes(6).toString('hex')}`
}
