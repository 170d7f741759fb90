import { registerHooks } from 'node:module'

/** A change of one source file, as text that it holds exactly once. */
export interface Edit {
  /** Below the repository's `packages`. */
  file: string
  find: string
  replace: string
}

/**
 * Changes sources as they are loaded from here on, in this process alone. Throws, when the file is loaded, unless it
 * holds the text exactly once; the returned function throws unless all edits were made.
 */
export function mutate(edits: readonly Edit[]): () => void {
  const made = new Set<Edit>()
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const mine = edits.filter(({ file }) => url.endsWith(`/packages/${file}`))
      if (mine.length === 0) return loaded
      let source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
      for (const edit of mine) {
        const parts = source.split(edit.find)
        if (parts.length !== 2) {
          throw new Error(`${edit.file} holds the text to replace ${parts.length - 1} times, not once: ${edit.find}`)
        }
        source = parts.join(edit.replace)
        made.add(edit)
      }
      return { ...loaded, source }
    },
  })
  return () => {
    const missed = edits.filter((edit) => !made.has(edit))
    if (missed.length > 0) throw new Error(`never loaded: ${missed.map(({ file }) => file).join(', ')}`)
  }
}
