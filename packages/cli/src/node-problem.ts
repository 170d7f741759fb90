/** What is wrong with a version of Node; `undefined` if nothing is. Commander needs 22.12, as `engines` says too. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12)) return undefined
  return `Node 22.12 or newer is needed, and this is ${version}.`
}
