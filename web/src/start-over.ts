/** The page from its beginning: nothing passes from one person to the next. */

import { dropRuns } from './pages/bulk/run.ts'

export function startOver(): void {
  // Whoever comes next must not be asked whether to stay on this page, nor go on with its lists.
  dropRuns()
  sessionStorage.clear()
  location.replace('/')
}
