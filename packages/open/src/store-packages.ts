import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { locateModule } from './import-store.ts'

/** A package of ours that keeps rows, as it is installed here. */
export interface StorePackage {
  name: string
  /** The version that is installed, found as `openStore` finds it; left out where it is not installed. */
  version?: string
  /** The schemes that it opens. */
  schemes: readonly string[]
}

const KNOWN = [
  {
    name: '@keepsake/store-sql',
    module: '@keepsake/store-sql/sqlite',
    schemes: ['sqlite', 'file', 'postgres', 'postgresql', 'mysql', 'mariadb'],
  },
  { name: '@keepsake/store-redis', module: '@keepsake/store-redis', schemes: ['redis', 'rediss', 'redis+cluster'] },
  { name: '@keepsake/store-firestore', module: '@keepsake/store-firestore', schemes: ['firestore'] },
  { name: '@keepsake/store-bigtable', module: '@keepsake/store-bigtable', schemes: ['bigtable'] },
]

/** The packages whose stores {@link openStore} opens, and which of them are installed. Imports none. */
export function storePackages(): StorePackage[] {
  return KNOWN.map(({ name, module, schemes }) => {
    const version = installedVersion(name, module)
    return { name, schemes, ...(version !== undefined && { version }) }
  })
}

// Packages need not export their package.json, so it is looked for above the module.
function installedVersion(name: string, module: string): string | undefined {
  const located = locateModule(module)
  for (let folder = located && dirname(located); folder; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) {
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string }
      if (manifest.name === name) return manifest.version
    }
    if (folder === dirname(folder)) return undefined
  }
  return undefined
}
