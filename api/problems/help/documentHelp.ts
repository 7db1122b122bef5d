import { both, help, shows } from './help.ts';

/** Help on problems of documents, their files and signatures. */
export const documentHelp = {
  DOCUMENT_FROZEN: help(
    both(
      'This document was signed or rejected and cannot be changed.',
      'Энэ баримтад гарын үсэг зурсан, эсвэл татгалзсан тул өөрчлөх боломжгүй.',
    ),
    'Make a new document for a new version.',
    {
      title: 'Баримт түгжигдсэн',
      means: 'Гарын үсэг зурсан, эсвэл татгалзсан баримтын файл, гарын үсэг өөрчлөгдөхгүй.',
      todo: 'Шинэ хувилбарт шинэ баримт үүсгэнэ үү.',
    },
  ),
  SIGNING_UNDER_WAY: help(
    both(
      'Somebody is signing this document. Please wait until they have answered.',
      'Энэ баримтад гарын үсэг зурж байна. Та дуустал нь хүлээнэ үү.',
    ),
    'Poll until that session has ended, then ask the next signer.',
    {
      title: 'Гарын үсэг зурж байна',
      means: 'Энэ баримтад хэн нэгнээс гарын үсэг хүсэж байна.',
      todo: 'Тэр сесс дуустал хүлээгээд, дараагийн хүнээс хүснэ үү.',
    },
  ),
  NOT_THE_SIGNER: help(
    both(
      'It is not your turn to sign this document.',
      'Энэ баримтад гарын үсэг зурах таны ээлж болоогүй байна.',
    ),
    'Ask the signer whom the document names next.',
    {
      title: 'Гарын үсэг зурах хүн биш',
      means: 'Өөр хүний гарын үсэг зурах ээлж байна.',
      todo: 'Баримтад дараагийнх гэж заасан хүнээс хүснэ үү.',
    },
  ),
  SIGNER_NOT_NAMED: help(
    shows.ourFault,
    'Make a document that names its signers, or change the policy of this type.',
    {
      title: 'Гарын үсэг зурагч заагаагүй',
      means: 'Дүрэм нэр заасан гарын үсэг зурагч шаарддаг, энэ баримтад заагаагүй.',
      todo: 'Гарын үсэг зурагчийг заасан баримт үүсгэх, эсвэл энэ төрлийн дүрмийг өөрчилнө үү.',
    },
  ),
  ALREADY_SIGNED: help(
    both(
      'You have signed this document already.',
      'Та энэ баримтад аль хэдийн гарын үсэг зурсан байна.',
    ),
    'Nothing: the signature is there.',
    {
      title: 'Гарын үсэг зурсан',
      means: 'Энэ хүн баримтад аль хэдийн гарын үсэг зурсан.',
      todo: 'Юу ч хийх шаардлагагүй: гарын үсэг нь байна.',
    },
  ),
  SIGNING_RAIL_UNAVAILABLE: help(
    both('Please choose another way to sign.', 'Та гарын үсэг зурах өөр арга сонгоно уу.'),
    'Offer the rails of `GET /documents/{id}/signing-rails` that are available.',
    {
      title: 'Гарын үсэг зурах арга боломжгүй',
      means: 'Энэ төрлийн баримтад уг аргаар гарын үсэг зурдаггүй.',
      todo: '`GET /documents/{id}/signing-rails` хаягийн боломжтой аргуудыг санал болгоно уу.',
    },
  ),
  FILE_ERASED: help(
    both('This file was erased.', 'Энэ файлыг устгасан.'),
    'Nothing brings it back: a person of the document was forgotten.',
    {
      title: 'Файлыг устгасан',
      means: 'Баримттай холбоотой хүнийг мартсан бөгөөд файл бусдын нотолгоо болоогүй байсан.',
      todo: 'Сэргээх боломжгүй.',
    },
  ),
  FILE_INFECTED: help(
    both(
      'A virus was found in this file. Please check your computer.',
      'Энэ файлаас вирус илэрлээ. Та компьютероо шалгана уу.',
    ),
    'Do not send the file again. It was not kept.',
    {
      title: 'Вирустай файл',
      means: 'Файлаас вирус илэрсэн тул хадгалаагүй.',
      todo: 'Файлыг дахин илгээх хэрэггүй.',
    },
  ),
} as const;
