import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pack, unpack } from './pack.ts'
import { publishedPackages, runtimeDependencies, type Workspace } from './workspace.ts'

/** A folder outside the workspace in which one package is installed as its users have it. */
export interface Sandbox extends Disposable {
  /** `node_modules` is inside. */
  dir: string
  /** The package's own tarball. */
  tarball: string
  /** Where its files lie. */
  packageDir: string
}

/**
 * Packs the package and those of ours that it needs, and unpacks them as siblings. Other dependencies are links to what
 * the workspace installed. What is only a devDependency is not there.
 */
export async function createSandbox(workspace: Workspace): Promise<Sandbox> {
  const dir = mkdtempSync(join(tmpdir(), 'keepsake-check-'))
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  try {
    const tarballs = await Promise.all(closure(workspace).map((member) => install(member, dir)))
    const packageDir = join(dir, 'node_modules', workspace.manifest.name)
    return { dir, tarball: tarballs[0] ?? '', packageDir, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The package first, then all of ours below it. */
function closure(workspace: Workspace): Workspace[] {
  const published = new Map(publishedPackages().map((p) => [p.manifest.name, p]))
  const found = new Set([workspace])
  for (const member of found) {
    for (const name of runtimeDependencies(member.manifest)) {
      const dependency = published.get(name)
      if (dependency !== undefined) found.add(dependency)
    }
  }
  return [...found]
}

async function install(member: Workspace, dir: string): Promise<string> {
  const target = join(dir, 'node_modules', member.manifest.name)
  const tarball = await pack(member, join(dir, 'tarballs'))
  await unpack(tarball, target)
  for (const name of runtimeDependencies(member.manifest)) {
    const installed = join(member.dir, 'node_modules', name)
    if (name.startsWith('@keepsake/') || !existsSync(installed)) continue
    const link = join(target, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(installed, link)
  }
  return tarball
}
