import { expect } from 'chai';
import type { BackupPlace } from '../../infrastructure/backup/place.ts';

/** Behaviour of every place for backups. */
export function backupPlaceContract(what: string, open: () => BackupPlace): void {
  describe(`A place for backups, ${what}`, () => {
    const large = Buffer.alloc(300_000, 'я');

    it('gives back what was put, under its name alone', async () => {
      const place = open();
      await place.put('pieces/ab/one.age', large);
      await place.put('pieces/ab/empty.age', Buffer.alloc(0));
      expect((await place.get('pieces/ab/one.age'))?.equals(large)).to.equal(true);
      expect(await place.get('pieces/ab/empty.age')).to.have.length(0);
      expect(await place.get('pieces/ab/on')).to.equal(null);
    });

    it('replaces what has the name', async () => {
      const place = open();
      await place.put('replaced', Buffer.from('before'));
      await place.put('replaced', Buffer.from('after'));
      expect(String(await place.get('replaced'))).to.equal('after');
    });

    it('lists what begins so, with lengths, however much it is', async () => {
      const place = open();
      const names = Array.from({ length: 5 }, (_, number) => `listed/${number}.json`);
      for (const name of names) await place.put(name, Buffer.from(name));
      await place.put('other', Buffer.from('x'));
      expect(await place.list('listed/')).to.have.deep.members(
        names.map((name) => ({ name, bytes: name.length })),
      );
      expect((await place.list('')).map(({ name }) => name)).to.include.members([
        ...names,
        'other',
      ]);
      expect(await place.list('nothing/')).to.deep.equal([]);
    });

    it('removes one, and what is gone already', async () => {
      const place = open();
      await place.put('removed', Buffer.from('x'));
      await place.remove('removed');
      await place.remove('removed');
      expect(await place.get('removed')).to.equal(null);
      expect(await place.list('removed')).to.deep.equal([]);
    });
  });
}
