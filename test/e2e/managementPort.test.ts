import { expect } from 'chai';
import { call } from '../../main/drill/callers.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { createServiceProcess } from '../support/installation/serviceProcess.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { until } from '../support/assertions/waiting.ts';

describe('F16: a management port', () => {
  it('has health and metrics, which the public port then does not serve', async function () {
    this.timeout(60_000);
    const port = await freePort();
    const management = `http://127.0.0.1:${port}`;
    const service = await createServiceProcess({
      SVC_DATABASE_URL: await freshDatabase(),
      SVC_MANAGEMENT_PORT: String(port),
    });
    service.launch();
    const statusOf = (url: string) => call(url).then(({ status }) => status);
    await until(async () => {
      return (await statusOf(`${management}/readyz`).catch(() => null)) === 200;
    });
    for (const path of ['/livez', '/metrics']) {
      expect(await statusOf(`${management}${path}`), path).to.equal(200);
    }
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect(await statusOf(`${service.origin}${path}`), path).to.equal(404);
    }
    expect(await statusOf(`${management}/.well-known/eid`)).to.equal(404);
    expect(await statusOf(`${service.origin}/.well-known/eid`)).to.equal(200);
    expect(await service.stop()).to.equal(0);
  });
});
