import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { KeepsakeError } from '@keepsake/core'

/**
 * Imports a store's module from beside this package, else from the project in the current folder. `load` is the same
 * import as a literal, so that bundlers see it.
 *
 * Throws `unsupported`, with the command that installs it, if neither place has the package. A package that is there
 * and fails to load throws its own error: another copy might hide what is wrong with it.
 */
export async function importStore<T>(module: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (locateBeside(module) !== undefined) throw error
    const inProject = locateInProject(module)
    if (inProject === undefined) throw missingPackage(module, error)
    return (await import(pathToFileURL(inProject).href)) as T
  }
}

/** The file that `importStore` would import; `undefined` where the package is not installed. */
export function locateModule(module: string): string | undefined {
  return locateBeside(module) ?? locateInProject(module)
}

function locateBeside(module: string): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(module))
  } catch {
    return undefined
  }
}

function locateInProject(module: string): string | undefined {
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(module)
  } catch {
    return undefined
  }
}

function missingPackage(module: string, cause: unknown): KeepsakeError {
  const name = module.split('/').slice(0, 2).join('/')
  return new KeepsakeError(
    'unsupported',
    `This store is in the package ${name}, which is not installed here, or is too old to have it. Install it in your project: pnpm add ${name}`,
    { cause, details: { package: name } },
  )
}
