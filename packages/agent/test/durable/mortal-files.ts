import type { Files } from '@keepsake/files'

/** Files as a process has them that dies right after a change: it is made, and nobody hears of it any more. */
export interface MortalFiles extends Files {
  readonly died: Promise<'died'>
}

/** `dieAt`: the change after which it dies, from 1. */
export function mortalFiles(files: Files, dieAt: number): MortalFiles {
  let changes = 0
  const death = Promise.withResolvers<'died'>()
  async function change<T>(make: () => Promise<T>): Promise<T> {
    const index = ++changes
    const made = index > dieAt ? undefined : await make()
    if (index < dieAt) return made as T
    death.resolve('died')
    return new Promise<never>(() => {})
  }
  return {
    ...files,
    died: death.promise,
    write: (...given) => change(() => files.write(...given)),
    edit: (...given) => change(() => files.edit(...given)),
  }
}
