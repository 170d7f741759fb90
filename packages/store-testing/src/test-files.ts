import { filesCases } from './files-cases.ts'
import type { OpenedFiles } from './files/files-case.ts'
import { runFilesCase } from './files/run-files-case.ts'
import { registerSuite } from './register-suite.ts'

export interface TestFilesOptions {
  /** From the name of a case or of a topic to the reason why these files do not run it; shown in the test's name. */
  skip?: Readonly<Record<string, string>>
}

/** The slowest case tries some 400 paths on every verb, or writes 2 MiB a few times. */
const CASE_TIMEOUT_MS = 60_000

/**
 * Registers every case of `filesCases` with vitest, for one kind of file system.
 *
 * `open` is called for each case and gives an empty file system and another handle on the same files; what they lie on may
 * be shared, if they see nothing of others. `close`, where there is one, is called when the case is over.
 *
 * Throws `invalid_value` if `skip` names a case or topic that does not exist, or gives no reason.
 */
export function testFiles(
  name: string,
  open: () => OpenedFiles | Promise<OpenedFiles>,
  options: TestFilesOptions = {},
): void {
  registerSuite({
    name,
    cases: filesCases,
    skip: options.skip,
    caseTimeoutMs: CASE_TIMEOUT_MS,
    open: async () => {},
    run: (testCase) => runFilesCase(testCase, open),
  })
}
