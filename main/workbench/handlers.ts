import type { WorkbenchService } from '#main/api/service.ts';
import type { Handlers } from '#main/api/wire.ts';
import { addressHandlers } from './handlers-addresses.ts';
import { appHandlers } from './handlers-app.ts';
import { changeHandlers } from './handlers-changes.ts';
import { exportHandlers } from './handlers-export.ts';
import { partnerHandlers } from './handlers-partners.ts';
import { providerHandlers } from './handlers-providers.ts';
import type { Workbench } from './workbench.ts';

/** The contract, answered by an open workbench: the same for every face of the product. */
export function createHandlers(workbench: Workbench): Handlers<WorkbenchService> {
  const exported = new Set<string>();
  return {
    ...appHandlers(workbench, exported),
    ...exportHandlers(workbench, exported),
    ...addressHandlers(workbench),
    ...providerHandlers(workbench),
    ...partnerHandlers(workbench),
    ...changeHandlers(workbench),
  };
}
