import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's top folder. */
export const repoRoot: string = fileURLToPath(new URL('../../..', import.meta.url))

/** The parts of a package.json that the checks read. */
export interface Manifest {
  name: string
  version: string
  private?: boolean
  description?: string
  license?: string
  type?: string
  sideEffects?: boolean
  files?: string[]
  engines?: Record<string, string>
  bin?: Record<string, string>
  scripts?: Record<string, string>
  exports?: Record<string, unknown>
  publishConfig?: { access?: string; exports?: Record<string, unknown>; bin?: Record<string, string> }
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export interface Workspace {
  /** Absolute. */
  dir: string
  /** Relative to the top, `packages/core`. */
  path: string
  manifest: Manifest
}

export function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest
}

/** Every package of the workspace, in the order of their paths. */
export function workspaces(): Workspace[] {
  return ['apps', 'packages', 'tooling'].flatMap((folder) =>
    readdirSync(join(repoRoot, folder))
      .toSorted()
      .map((name) => ({ dir: join(repoRoot, folder, name), path: `${folder}/${name}` }))
      .filter(({ dir }) => existsSync(join(dir, 'package.json')))
      .map((place) => ({ ...place, manifest: readManifest(place.dir) })),
  )
}

/** Those that go to the registry. */
export function publishedPackages(): Workspace[] {
  return workspaces().filter(({ manifest }) => manifest.private !== true)
}

/** What a user who installs the package gets with it. */
export function runtimeDependencies(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
}
