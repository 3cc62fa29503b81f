import type { PhraseBook } from "../phrases.ts";

export const GERMAN: PhraseBook = {
  chatbot_voice: [
    "als ?ein|eine ki ?sprachmodell|modell|assistent|assistentin kann|habe|bin|darf|verfüge",
    "als ?ein|eine künstliche|künstlicher|künstlichen intelligenz kann|habe|bin|darf|verfüge",
    "als ?ein ?großes sprachmodell kann|habe|bin|darf|verfüge|ist",
    "es tut mir leid ?aber ich kann … nicht",
    "es tut mir leid ?aber dabei|das kann ich ?ihnen|dir … nicht",
    "entschuldigung ?aber ich kann … nicht",
  ],
  knowledge_cutoff: [
    "stand|nach|laut|gemäß meiner|meines|meinem letzten|aktuellen aktualisierung|wissensstand|wissensstands|wissensstandes|update|updates|training|trainings|wissensupdate|wissensupdates",
    "bis zu meiner|meinem letzten|aktuellen aktualisierung|wissensstand|update|training|wissensupdate",
    "mein|meine|meinen wissensstand|trainingsdaten reich*|end*|geh*",
  ],
  chat_opener: [
    "^gerne|gern|natürlich|klar|selbstverständlich hier ist|sind|finden",
    "^gerne|natürlich|klar|selbstverständlich ich habe|werde|kann|schreibe",
    "hier ist der|die|das|ihr|ihre|dein|deine|ein|eine überarbeitete|überarbeiteter|gewünschte|gewünschter|fertige|fertiger|optimierte|optimierter|neue|neuer artikel|text|beitrag|version|fassung",
  ],
  chat_closer: [
    "^ich hoffe ?dass das|dies|dieser|der ?artikel|text … hilft|hilfreich|weiterhilft|weiter|gefällt",
    "lass|lassen ?sie ?es mich ?gerne|bitte wissen wenn|ob|falls … änder*|anpass*|ergänz*|überarbeit*|brauch*|wünsch*|soll*|möcht*",
    "sag|sagen ?sie ?mir bescheid wenn|ob|falls … änder*|anpass*|ergänz*|überarbeit*|brauch*|wünsch*|soll*|möcht*",
    "soll ich den|noch|das|auch|ein|eine|einen|ihn|es|den|die|dir|ihnen?",
    "möchtest du dass ich?",
    "möchten sie dass ich?",
  ],
  prompt_echo: [
    "^schreib|schreibe|schreiben ?sie ?mir ?bitte einen|ein seo|ausführlichen|1*|2*|3*|4*|5*|6*|7*|8*|9* … artikel|beitrag|text",
    "^du bist ein|eine erfahren*|professionell*|experte|seo … autor|autorin|texter|texterin|redakteur|redakteurin|experte|expertin",
    "^hauptkeyword|fokuskeyword|keyword|wortanzahl|zielgruppe|tonalität|schreibstil|metabeschreibung:",
    "^fokus|haupt keyword:",
    "^meta beschreibung|titel:",
    "^hauptkeyword|fokuskeyword ist|lautet:",
  ],
};
