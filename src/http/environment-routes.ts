/** The routes about the environment itself. */

import { bodyProblems, type Route, type RouteParts } from './route.ts'
import * as schemas from './setting-schemas.ts'
import { configure, settings } from './settings.ts'

export const environmentRoutes = (parts: RouteParts): readonly Route[] => [
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
