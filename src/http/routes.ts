/** The whole API, a page for each noun. */

import { conversationRoutes } from './conversation-routes.ts'
import { deviceRoutes } from './device-routes.ts'
import { environmentRoutes } from './environment-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import type { Route, RouteParts } from './route.ts'
import { webhookRoutes } from './webhook-routes.ts'

export const routes = (parts: RouteParts): readonly Route[] => [
  ...messageRoutes(parts),
  ...conversationRoutes(parts),
  ...deviceRoutes(parts),
  ...eventRoutes(parts),
  ...webhookRoutes(parts),
  ...peopleRoutes(parts),
  ...keyRoutes(parts),
  ...environmentRoutes(parts),
]
