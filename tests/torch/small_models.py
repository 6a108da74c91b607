"""Small random models in their real file formats."""

from __future__ import annotations

WORDS = ["heart", "attack", "failure", "disease", "crohn", "s", "'", ",", "non", "-", "familial", "(", ")"]
WORDS += ["acute", "of", "the", "lung", "kidney", "infarction"]
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def wordpiece_tokenizer(longest):
    """Return a lower-casing WordPiece tokenizer that puts [CLS] and [SEP] around a text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [*MARKS, *WORDS, *(f"##{letter}" for letter in "abcdefgh")]
    tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=longest,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def save_bert(folder):
    """Write a BERT of two layers with a WordPiece tokenizer."""
    from transformers import BertConfig, BertModel

    import torch

    tokenizer = wordpiece_tokenizer(16)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)


def save_gpt2(folder):
    """Write a GPT-2 of two layers with a byte-level tokenizer, which has no padding and adds no token of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    import torch

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64).save_pretrained(folder)
    torch.manual_seed(1)
    config = GPT2Config(vocab_size=256, n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    GPT2Model(config).save_pretrained(folder)
