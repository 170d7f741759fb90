import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from './workspace.ts'

export interface EntryNames {
  /** `@keepsake/files/local`. */
  specifier: string
  values: string[]
  types: string[]
}

/** The names that a package exports, by entry, read from the entries' sources. */
export function apiNames({ dir, manifest }: Workspace): EntryNames[] {
  return Object.entries(manifest.exports ?? {}).map(([subpath, file]) => ({
    specifier: manifest.name + subpath.slice(1),
    ...exportedNames(readFileSync(join(dir, String(file)), 'utf8')),
  }))
}

/** The names that a module's text exports. `export *` is refused: an entry lists its names. */
export function exportedNames(source: string): { values: string[]; types: string[] } {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  if (/^export \*/m.test(code)) throw new Error('`export *` hides what is exported: list the names')
  const values = new Set<string>()
  const types = new Set<string>()
  for (const [, allTypes, list = ''] of code.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(',').map((text) => text.trim())) {
      if (item === '') continue
      const name = item.replace(/^type /, '').replace(/^.* as /, '')
      ;(allTypes !== undefined || item.startsWith('type ') ? types : values).add(name)
    }
  }
  const declarations = /^export (?:declare |abstract |async )*(function\*?|const|let|class|interface|type) (\w+)/gm
  for (const [, kind = '', name = ''] of code.matchAll(declarations)) {
    ;(kind === 'interface' || kind === 'type' ? types : values).add(name)
  }
  return { values: [...values].toSorted(), types: [...types].toSorted() }
}

/** As it is kept in `tooling/checks/api`, one name a line. */
export function formatApi(entries: readonly EntryNames[]): string {
  const lines = entries.flatMap(({ specifier, values, types }) => [
    specifier,
    ...values.map((name) => `  value ${name}`),
    ...types.map((name) => `  type  ${name}`),
  ])
  return `${lines.join('\n')}\n`
}
