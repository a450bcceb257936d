/** The whole API, a page for each noun. */

import { conversationRoutes } from './conversations/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { environmentRoutes } from './environment/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import type { Route } from './route.ts'
import type { RouteParts } from './route-parts.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const routes = (parts: RouteParts): readonly Route[] => [
  ...messageRoutes(parts),
  ...conversationRoutes(parts),
  ...deviceRoutes(parts),
  ...eventRoutes(parts),
  ...webhookRoutes(parts),
  ...peopleRoutes(parts),
  ...keyRoutes(parts),
  ...environmentRoutes(parts),
  ...nodeRoutes(parts),
]
