import type { BuildOptions } from 'esbuild'
import { bundle } from './bundle.ts'

/** Names that only Node has, and what they become when a module of ours uses the global of that name. */
const NODE_GLOBALS = ['Buffer', 'process', 'global', 'require', 'setImmediate', '__dirname', '__filename']
const MARK = '__node_only_'

// `neutral` knows no package.json field besides "exports"; some dependencies have only "main".
const NEUTRAL: BuildOptions = { platform: 'neutral', mainFields: ['module', 'main'] }

/**
 * Why a module would not run outside Node: a built-in module that it or its dependencies import, or a global of Node
 * that it uses itself. `file` is the entry, installed as its users have it. `peers` are not looked into: its users bring
 * them, or something else of the same shape.
 */
export async function neutralProblems(file: string, peers: readonly string[] = []): Promise<string[]> {
  const { errors } = await bundle({ ...NEUTRAL, entryPoints: [file], external: [...peers] })
  const marks = NODE_GLOBALS.flatMap((name) => [
    [name, MARK + name],
    [`globalThis.${name}`, MARK + name],
  ])
  const define = Object.fromEntries(marks) as Record<string, string>
  const { code } = await bundle({ ...NEUTRAL, entryPoints: [file], packages: 'external', define })
  const globals = NODE_GLOBALS.filter((name) => new RegExp(`\\b${MARK}${name}\\b`).test(code))
  return [...errors, ...globals.map((name) => `it uses ${name}, which only Node has`)]
}
