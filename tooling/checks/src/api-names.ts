import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from './workspace.ts'

export interface Entry {
  /** `@keepsake/files/local`. */
  specifier: string
  /** Its source, absolute. */
  file: string
}

export interface Names {
  values: string[]
  types: string[]
}

/** The modules that users can import from a package. */
export function entriesOf({ dir, manifest }: Workspace): Entry[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([subpath]) => subpath !== './package.json')
    .map(([subpath, file]) => ({ specifier: manifest.name + subpath.slice(1), file: join(dir, String(file)) }))
}

/** The names that a module's text exports. `export *` is refused: an entry lists its names. */
export function exportedNames(source: string): Names {
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

/** The names of a package as they are kept in `tooling/checks/api`, one a line. */
export function formatApi(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ specifier, file }) => {
    const { values, types } = exportedNames(readFileSync(file, 'utf8'))
    return [specifier, ...values.map((name) => `  value ${name}`), ...types.map((name) => `  type  ${name}`)]
  })
  return `${lines.join('\n')}\n`
}
