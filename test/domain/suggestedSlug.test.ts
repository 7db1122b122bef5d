import { expect } from 'chai';
import { suggestedSlug } from '../../domain/organization/suggestedSlug.ts';

describe('slug suggested for an organization', () => {
  for (const { name, register, slug } of [
    { name: 'Тамга Демо', register: '5512345', slug: 'tamga-demo' },
    { name: '  Өнө & Үүрд «Групп» 24 ', register: '1', slug: 'ono-uurd-grupp-24' },
    { name: 'Tamga Bank', register: '1', slug: 'tamga-bank' },
    { name: '東京', register: '5512345', slug: '5512345' },
    { name: '東京', register: '東京', slug: 'organization' },
    { name: `${'а'.repeat(30)} ${'б'.repeat(30)}`, register: '1', slug: 'a'.repeat(30) },
    { name: 'щ'.repeat(15), register: '1', slug: 'shch'.repeat(10) },
  ]) {
    it(`is ${slug} for ${name.trim()}`, () => {
      expect(suggestedSlug(name, register)).to.equal(slug);
    });
  }
});
