// Compiles the SDK. Where only what is needed to run was installed there is no compiler, and nobody to compile it for.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit', shell: true })
const isForOthers = ['pack', 'publish'].includes(process.env.npm_command ?? '')
if (status !== 0) console.error('The SDK was not compiled: the compiler is not installed, or does not run.')
process.exit(status !== 0 && isForOthers ? 1 : 0)
