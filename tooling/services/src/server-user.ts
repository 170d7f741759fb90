import { outputOf } from './programs.ts'

/**
 * As whom a database server runs. PostgreSQL refuses to run as root, so root hands it to the user that Debian's package
 * made; everybody else runs it as themselves.
 */
export async function serverUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all([outputOf('id', ['-u', name]), outputOf('id', ['-g', name])])
  return { uid: Number(uid), gid: Number(gid) }
}
