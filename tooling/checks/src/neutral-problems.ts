import { build, type BuildFailure, type BuildOptions, type Message } from 'esbuild'

/** Names that only Node has, and what they become when a module of ours uses the global of that name. */
const NODE_GLOBALS = ['Buffer', 'process', 'global', 'require', 'setImmediate', '__dirname', '__filename']
const MARK = '__node_only_'

const NEUTRAL: BuildOptions = {
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  // `neutral` knows no package.json field besides "exports"; some dependencies have only "main".
  mainFields: ['module', 'main'],
  write: false,
  logLevel: 'silent',
  legalComments: 'none',
}

/**
 * Why a module would not run outside Node: a built-in module that it or its dependencies import, or a global of Node
 * that it uses itself. `file` is the entry, installed as its users have it.
 */
export async function neutralProblems(file: string): Promise<string[]> {
  const unresolved = await failures({ ...NEUTRAL, entryPoints: [file] })
  const define = Object.fromEntries(
    NODE_GLOBALS.flatMap((name) => [
      [name, MARK + name],
      [`globalThis.${name}`, MARK + name],
    ]),
  )
  const { outputFiles } = await build({ ...NEUTRAL, write: false, entryPoints: [file], packages: 'external', define })
  const code = outputFiles[0]?.text ?? ''
  const globals = NODE_GLOBALS.filter((name) => new RegExp(`\\b${MARK}${name}\\b`).test(code))
  return [...unresolved, ...globals.map((name) => `it uses ${name}, which only Node has`)]
}

async function failures(options: BuildOptions): Promise<string[]> {
  try {
    await build(options)
    return []
  } catch (error) {
    const { errors } = error as BuildFailure
    return errors.map(describe)
  }
}

function describe({ text, location }: Message): string {
  return location === null ? text : `${text} (imported by ${location.file.replace(/^.*node_modules\//, '')})`
}
