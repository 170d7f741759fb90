import type { FilesCase, OpenedFiles } from './files-case.ts'

/** Runs one case of `filesCases` without a test runner, on files of its own. Rejects if they break the rule. */
export async function runFilesCase(testCase: FilesCase, open: () => OpenedFiles | Promise<OpenedFiles>): Promise<void> {
  const opened = await open()
  try {
    await testCase.run(opened)
  } finally {
    await opened.close?.()
  }
}
