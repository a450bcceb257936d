/** A simulated phone: behaves like a real one, and nobody is texted. */

import { android } from './android.ts'
import type { KindRecord } from './kind.ts'

export const simulated = {
  ...android,
  name: 'simulated',
  title: 'Simulated phone',
  about: 'Behaves like a real one, and nobody is texted. For trying things out.',
  // A production message must never end in a simulated phone.
  environments: ['staging'],
  addedBy: 'name',
  perMinute: null,
  firstAttention: [],
} as const satisfies KindRecord
