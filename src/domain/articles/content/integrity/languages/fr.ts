import type { PhraseBook } from "../phrases.ts";

export const FRENCH: PhraseBook = {
  chatbot_voice: [
    "en tant que ?grand modèle de langage … je|j'*",
    "en tant qu'ia|qu'intelligence|qu'assistant … je|j'*",
    "je suis désolé|désolée|navré|navrée ?mais je ne peux pas",
    "je ne suis qu'un|qu'une ia|modèle|intelligence",
  ],
  knowledge_cutoff: [
    "à|selon|depuis ?la ?date ?de ma dernière mise à jour",
    "jusqu'à ?la ?date ?de ma dernière mise à jour",
    "mes données d'entraînement s'arrêtent|vont",
    "mes connaissances s'arrêtent|vont ?jusqu'en|jusqu'à",
  ],
  chat_opener: [
    "^bien sûr voici|je",
    "^certainement|absolument voici|je",
    "^avec plaisir voici|je",
    "^voici l'article|votre|un|une|le ?article|texte|version … demandé|demandée|réécrit|réécrite|optimisé|optimisée|révisé|révisée",
    "^voici l'article|votre|le ?article|texte:",
  ],
  chat_closer: [
    "^j'espère que cela|ça|cet|ce ?article|texte … aide|aidera|utile|convient|plaît|répond",
    "n'hésitez pas à me dire|demander|le ?faire ?savoir",
    "n'hésitez pas à me faire savoir",
    "souhaitez|voulez|veux vous|tu que je",
  ],
  prompt_echo: [
    "^rédige|rédigez|rédiger|écris|écrivez un article seo|de|complet|optimisé|détaillé",
    "^tu es un|une expert*|rédact* … seo|web|rédact*",
    "^mot clé principal:",
    "^mots clés:",
    "^nombre de mots:",
    "^public cible:",
    "^méta description:",
  ],
};
