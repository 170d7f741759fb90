import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { machinePaths } from './machine-paths.ts'
import { runtimeDependencies, type Manifest } from './workspace.ts'

/** What is wrong with the files that users would get. */
export function tarballProblems(packageDir: string, manifest: Manifest): string[] {
  const files = readdirSync(packageDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packageDir.length + 1))
    .filter((file) => !file.startsWith('node_modules/'))
  const present = new Set(files)
  const problems: string[] = []

  for (const file of ['LICENSE', ...targets(manifest)]) {
    if (!present.has(file)) problems.push(`${file} is not in the package`)
  }
  const allowed = new Set([manifest.name, ...runtimeDependencies(manifest)])
  for (const file of files) {
    if (/(^|\/)tests?\/|\.test\./.test(file)) problems.push(`${file} is a test`)
    const source = /^dist\/(.+)\.js$/.exec(file)?.[1]
    if (source !== undefined && !present.has(`src/${source}.ts`)) {
      problems.push(`${file} has no source: run pnpm clean and build again`)
    }
    const text = readFileSync(join(packageDir, file), 'utf8')
    for (const path of machinePaths(text)) problems.push(`${file} names a path of one machine: ${path}`)
    if (/^dist\/.+(\.js|\.d\.ts)$/.test(file)) {
      for (const name of importedPackages(text)) {
        if (!allowed.has(name) && !allowed.has(typesOf(name))) {
          problems.push(`${file} imports ${name}, which is no dependency of the package`)
        }
      }
    }
  }
  return problems
}

/** Every file that the published exports and bin name. */
function targets(manifest: Manifest): string[] {
  const conditions = Object.values(manifest.exports ?? {}).flatMap((target) =>
    typeof target === 'object' && target !== null ? Object.values(target) : [target],
  )
  return [...conditions, ...Object.values(manifest.bin ?? {})].map((file) => String(file).replace('./', ''))
}

/** The packages that a compiled module or its declarations import. Comments hold examples, which are none. */
function importedPackages(text: string): Set<string> {
  const code = text.replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, '')
  const specifiers = code.matchAll(
    /(?:^(?:import|export)\b[\w\s{},*$]*\bfrom\s+|^import\s+|\bimport\(\s*)['"]([^'"]+)['"]/gm,
  )
  const names = [...specifiers].map(([, specifier = '']) => specifier).filter((s) => !/^(\.|#|node:)/.test(s))
  return new Set(names.map((s) => s.split('/', s.startsWith('@') ? 2 : 1).join('/')))
}

function typesOf(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`
}
