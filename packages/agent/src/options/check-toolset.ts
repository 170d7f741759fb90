import { refuse } from './refuse.ts'

/** Throws `invalid_value` unless this is a memory toolset. */
export function checkToolset(what: string, toolset: unknown): void {
  const { load, render, flush, tools } = (toolset ?? {}) as Record<string, unknown>
  const isToolset = [load, render, flush].every((verb) => typeof verb === 'function') && typeof tools === 'object'
  if (!isToolset)
    throw refuse(what, 'a toolset of createMemoryToolset, or a function of the run that gives one', toolset)
}
