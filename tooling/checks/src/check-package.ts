/**
 * Checks the package in the current folder, built, as its users would get it: packed, unpacked outside the workspace,
 * next to nothing but its dependencies. Prints what is wrong and exits with 1.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatMessage } from 'publint/utils'
import { publint } from 'publint'
import { importProblems } from './import-problems.ts'
import { layers } from './layers.ts'
import { manifestProblems } from './manifest-problems.ts'
import { neutralProblems } from './neutral-problems.ts'
import { readmeProblems } from './readme-problems.ts'
import { runCommand } from './run-command.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { tarballProblems } from './tarball-problems.ts'
import { treeShakingProblems } from './tree-shaking-problems.ts'
import { publishedPackages, readManifest, type Manifest } from './workspace.ts'

const workspace = publishedPackages().find(({ dir }) => dir === process.cwd())
if (workspace === undefined) throw new Error(`${process.cwd()} is not a published package of this workspace`)
const { name } = workspace.manifest

using sandbox = await createSandbox(workspace)
const packed = readManifest(sandbox.packageDir)
const readme = join(workspace.dir, 'README.md')
const problems = [
  ...manifestProblems(workspace),
  ...readmeProblems(name, existsSync(readme) ? readFileSync(readme, 'utf8') : undefined),
  ...tarballProblems(sandbox.packageDir, packed),
  ...(await entryProblems(sandbox, packed)),
  ...(await publintProblems(sandbox.tarball)),
  ...(await typeProblems(sandbox.tarball)),
]
for (const problem of problems) console.error(`✗ ${name}: ${problem}`)
if (problems.length === 0) console.log(`${name}: the packed package is in order`)
else process.exitCode = 1

/** Each entry is imported by Node; neutral ones are bundled for a platform that has nothing of Node's. */
async function entryProblems({ packageDir }: Sandbox, manifest: Manifest): Promise<string[]> {
  const folder = name.replace('@keepsake/', '')
  const layer = layers[folder]
  if (layer === undefined) return [`tooling/checks/src/layers.ts does not list ${folder}`]
  const entries = (Object.entries(manifest.exports ?? {}) as [string, { default: string }][]).filter(
    ([subpath]) => subpath !== './package.json',
  )
  const checked = entries.map(async ([subpath, target]) => {
    const file = join(packageDir, target.default)
    if (!existsSync(file)) return []
    const specifier = name + subpath.slice(1)
    const neutral = layer.neutral.includes(subpath)
    const found = [
      ...(await importProblems(file)),
      ...(neutral
        ? [
            ...(await neutralProblems(file, Object.keys(manifest.peerDependencies ?? {}))),
            ...(await treeShakingProblems(file)),
          ]
        : []),
    ]
    return found.map((problem) => `${specifier}: ${problem}`)
  })
  return (await Promise.all(checked)).flat()
}

async function publintProblems(tarball: string): Promise<string[]> {
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
    strict: true,
  })
  return messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

async function typeProblems(tarball: string): Promise<string[]> {
  const attw = fileURLToPath(new URL('dist/index.js', import.meta.resolve('@arethetypeswrong/cli/package.json')))
  const args = [attw, tarball, '--profile', 'esm-only', '--no-color']
  const { ok, output } = await runCommand(process.execPath, args, { cwd: process.cwd() })
  return ok ? [] : [`attw: ${output}`]
}
