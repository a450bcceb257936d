/** The routes about the environment itself. */

import { bodyProblems, type Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import * as schemas from './setting-schemas.ts'
import { configure, settings } from './settings.ts'
import { StatsQuery, StatsResponse } from './stat-schemas.ts'
import { stats } from './stats.ts'

export const environmentRoutes = (parts: RouteParts): readonly Route[] => [
  {
    operation: 'stats',
    group: 'Environment',
    summary: 'What was sent, delivered and received lately, and what waits',
    method: 'GET',
    paths: ['/stats'],
    scope: 'stats:read',
    query: StatsQuery,
    response: StatsResponse,
    problems: [],
    action: stats(parts.stats),
  },
  {
    operation: 'settings',
    group: 'Environment',
    summary: 'Settings of the environment',
    method: 'GET',
    paths: ['/settings'],
    scope: 'settings:manage',
    response: schemas.SettingsResponse,
    problems: [],
    action: settings(),
  },
  {
    operation: 'configure',
    group: 'Environment',
    summary: 'Change settings of the environment',
    method: 'PATCH',
    paths: ['/settings'],
    scope: 'settings:manage',
    body: schemas.SettingsRequest,
    response: schemas.SettingsResponse,
    problems: bodyProblems,
    action: configure(parts.configure),
  },
]
