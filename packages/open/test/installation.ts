import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { tempFolder } from './temp-folder.ts'

/** The workspace's packages, which are copied. */
const PACKAGES = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Real folders outside the workspace, with packages of ours in their `node_modules` as a user would have them. */
export interface Installation {
  readonly root: string
  /** Puts built copies of packages into `folder/node_modules`, with their third-party dependencies. */
  install(folder: string, ...names: string[]): void
  write(path: string, text: string): void
  /** Runs a module that lies in `folder`, with another current folder, and gives the JSON that it prints. */
  evaluate(folder: string, cwd: string, script: string): Promise<unknown>
}

/** Empty folders for the test that is running. */
export function createInstallation(): Installation {
  const root = tempFolder()

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }

  return {
    root,
    write,
    install(folder, ...names) {
      for (const name of names) installPackage(join(root, folder, 'node_modules'), name)
    },
    async evaluate(folder, cwd, script) {
      write(join(folder, 'script.mjs'), script)
      mkdirSync(join(root, cwd), { recursive: true })
      // Package managers' scripts set NODE_PATH to the workspace, where everything is.
      const { NODE_PATH: _, ...env } = process.env
      const { stdout } = await run(process.execPath, [join(root, folder, 'script.mjs')], { cwd: join(root, cwd), env })
      return JSON.parse(stdout)
    },
  }
}

function installPackage(modules: string, name: string): void {
  const source = join(PACKAGES, name)
  const target = join(modules, '@keepsake', name)
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Record<string, any>
  for (const file of readdirSync(join(source, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const built = join(target, 'dist', file.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(built), { recursive: true })
    // Node does not strip types below node_modules, so this is done here, as the build does it.
    const code = stripTypeScriptTypes(readFileSync(join(source, 'src', file), 'utf8'))
    writeFileSync(built, code.replaceAll(/(from '|import\(')(\.[^']*)\.ts'/g, "$1$2.js'"))
  }
  writeFileSync(join(target, 'package.json'), JSON.stringify({ ...manifest, ...manifest['publishConfig'] }))
  for (const dependency of Object.keys(manifest['dependencies'] ?? {})) {
    if (dependency.startsWith('@keepsake/')) continue
    const link = join(modules, dependency)
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(join(source, 'node_modules', dependency), link)
  }
}
